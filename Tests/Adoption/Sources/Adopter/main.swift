import SQLiteStorage

let database = try Database.inMemory()
let sum = try database.read { try $0.value(Int.self, "SELECT 40 + ?", [2]) }
guard sum == 42 else { fatalError("40 and 2 are \(sum.map(String.init) ?? "nothing")") }
