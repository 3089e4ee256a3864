/// A name and its value, in an object, in the named part of an array or in a shared object.
package struct AMFMember: Hashable, Sendable {
  package var name: String
  package var value: AMFValue

  package init(_ name: String, _ value: AMFValue) {
    self.name = name
    self.value = value
  }
}
