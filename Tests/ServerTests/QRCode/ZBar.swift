import Glibc

/// A reader of QR codes by others: libzbar, which Debian's GStreamer plugins bring along.
struct ZBar {
  private typealias Pointer = OpaquePointer

  private let library: UnsafeMutableRawPointer

  /// Nil without the library.
  init?() {
    guard let library = dlopen("libzbar.so.0", RTLD_NOW) else { return nil }
    self.library = library
  }

  private func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(library, "zbar_\(name)").map { unsafeBitCast($0, to: type) }
  }

  /// The texts of all codes in a picture of grey values, one byte a dot.
  func read(_ grey: [UInt8], width: Int, height: Int) -> [String] {
    guard let makeScanner = function("image_scanner_create", as: (@convention(c) () -> Pointer?).self),
      let makeImage = function("image_create", as: (@convention(c) () -> Pointer?).self),
      let setFormat = function("image_set_format", as: (@convention(c) (Pointer, UInt) -> Void).self),
      let setSize = function("image_set_size", as: (@convention(c) (Pointer, UInt32, UInt32) -> Void).self),
      let setData = function(
        "image_set_data", as: (@convention(c) (Pointer, UnsafeRawPointer, UInt, UnsafeRawPointer?) -> Void).self),
      let scan = function("scan_image", as: (@convention(c) (Pointer, Pointer) -> Int32).self),
      let first = function("image_first_symbol", as: (@convention(c) (Pointer) -> Pointer?).self),
      let next = function("symbol_next", as: (@convention(c) (Pointer) -> Pointer?).self),
      let text = function("symbol_get_data", as: (@convention(c) (Pointer) -> UnsafePointer<CChar>?).self),
      let freeImage = function("image_destroy", as: (@convention(c) (Pointer) -> Void).self),
      let freeScanner = function("image_scanner_destroy", as: (@convention(c) (Pointer) -> Void).self),
      let scanner = makeScanner(), let image = makeImage()
    else { return [] }
    defer {
      freeImage(image)
      freeScanner(scanner)
    }
    // "Y800"
    setFormat(image, 0x3030_3859)
    setSize(image, UInt32(width), UInt32(height))
    return grey.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return [] }
      setData(image, start, UInt(bytes.count), nil)
      guard scan(scanner, image) > 0 else { return [] }
      var texts: [String] = []
      var symbol = first(image)
      while let found = symbol {
        if let data = text(found) { texts.append(String(cString: data)) }
        symbol = next(found)
      }
      return texts
    }
  }
}
