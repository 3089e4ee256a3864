import Hummingbird

/// The web studio: pages and modules that are embedded in the program (Sources/Resources/studio).
///
/// One page stands for all addresses of the studio; base/main.js tells which of its views is shown.
struct StudioResource {
  private static let pages = ["/", "/rooms/:room", "/takes", "/takes/:take"]

  var resources: [Resource] {
    let page = EmbeddedFile.named("studio/index.html")
    return StudioResource.pages.map { page.resource(at: $0) } + [
      Resource("/studio/:folder/:file").on(.get) { request, context in
        let path = try "\(context.parameters.require("folder"))/\(context.parameters.require("file"))"
        guard let file = EmbeddedFile.all["studio/\(path)"] else {
          throw Problem.notFound("the studio has no file \(path)")
        }
        return file.answer(to: request)
      }
    ]
  }
}
