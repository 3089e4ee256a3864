/// Members as they are read: the order of their first appearance, and for a name that comes again the last value.
struct AMFMemberList {
  /// From this many members on names are found by hash instead of by comparing all.
  private static let indexedSize = 12

  private(set) var members: [AMFMember] = []
  private var positions: [String: Int] = [:]

  mutating func set(_ name: String, _ value: AMFValue) {
    if let position = position(of: name) {
      members[position].value = value
      return
    }
    members.append(AMFMember(name, value))
    if members.count == AMFMemberList.indexedSize {
      for (position, member) in members.enumerated() { positions[member.name] = position }
    } else if members.count > AMFMemberList.indexedSize {
      positions[name] = members.count - 1
    }
  }

  private func position(of name: String) -> Int? {
    guard members.count < AMFMemberList.indexedSize else { return positions[name] }
    return members.firstIndex { $0.name == name }
  }
}
