import Foundation

extension String {
  /// A name as it is compared with that of a token: without case and width, and with compatible characters alike (NFKC).
  ///
  ///     "Ａｄａ".foldedName == "ada"   // true
  ///
  /// Accents count: Zoë and Zoe may be two musicians.
  var foldedName: String {
    // By way of upper case, which knows that ß is SS.
    precomposedStringWithCompatibilityMapping.uppercased().lowercased().precomposedStringWithCompatibilityMapping
  }
}
