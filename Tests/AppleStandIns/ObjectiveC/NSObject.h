// The root of UIKit's and AppKit's classes. It is Objective-C, because Swift has @objc classes, optional
// requirements and #selector for its subclasses only.

@protocol NSObject
- (_Bool)respondsToSelector:(SEL _Null_unspecified)aSelector;
@end

__attribute__((objc_root_class)) @interface NSObject<NSObject>
- (instancetype _Nonnull)init;
@end

// AppKit's options in a method of a protocol: a Swift structure cannot be there.
typedef enum __attribute__((flag_enum, enum_extensibility(open))) NSDragOperation : unsigned long {
  NSDragOperationNone = 0,
  NSDragOperationMove = 16,
} NSDragOperation;
