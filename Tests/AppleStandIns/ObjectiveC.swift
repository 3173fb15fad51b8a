// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores
// The Swift part of the stand-in for the module ObjectiveC: what `#selector` makes.

@_exported public import ObjectiveC

public struct Selector: ExpressibleByStringLiteral {
  var pointer: OpaquePointer
  public init(_ name: String) { fatalError() }
  public init(stringLiteral name: String) { fatalError() }
}

// The compiler converts every Bool of an Objective-C method.
public struct ObjCBool: ExpressibleByBooleanLiteral {
  public init(_ value: Bool) {}
  public init(booleanLiteral value: Bool) {}
  public var boolValue: Bool { fatalError() }
}

public func _convertBoolToObjCBool(_ value: Bool) -> ObjCBool { fatalError() }
public func _convertObjCBoolToBool(_ value: ObjCBool) -> Bool { fatalError() }
