import Hummingbird
import Synchronization

/// Answers OPTIONS, and methods that a resource does not have, where no route was found.
///
/// They are three quarters of all routes, and few clients ask for one. So they have a router of their own, which is made with
/// the first request that no other route takes: that is a tenth of a service's start.
final class OtherMethods: RouterMiddleware {
  typealias Context = ExchangeContext

  /// Resources that the pages of the same origins may use.
  struct Group: Sendable {
    /// Nil for those of the service's own pages.
    var crossOrigin: CrossOrigin?
    var resources: [Resource]
  }

  private let groups: [Group]
  private let routeGuard: RouteGuard
  private let made = Mutex<RouterResponder<ExchangeContext>?>(nil)

  init(of groups: [Group], guardedBy routeGuard: RouteGuard) {
    self.groups = groups
    self.routeGuard = routeGuard
  }

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await responder().respond(to: request, context: context)
    } catch is Nowhere {
      return try await next(request, context)
    }
  }

  private func responder() -> RouterResponder<ExchangeContext> {
    made.withLock { made in
      if let made { return made }
      let router = Router(context: ExchangeContext.self)
      for group in groups {
        let routes = router.routes(for: group.crossOrigin)
        for resource in group.resources { routes.addOtherMethods(of: resource, guardedBy: routeGuard) }
      }
      // It stands behind all routes, so it gets only what none of them takes.
      router.add(middleware: NowhereElse())
      let responder = router.buildResponder()
      made = responder
      return responder
    }
  }

  /// The path is no resource's, or the method none of HTTP's.
  private struct Nowhere: Error {}

  /// Hummingbird would answer by itself.
  private struct NowhereElse: RouterMiddleware {
    typealias Context = ExchangeContext

    func handle(
      _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
    ) async throws -> Response {
      throw Nowhere()
    }
  }
}

extension Router<ExchangeContext> {
  /// Routes for the pages of some origins. Problems are made within what lets others in, so that such pages can read them.
  func routes(for crossOrigin: CrossOrigin?) -> any RouterMethods<ExchangeContext> {
    guard let crossOrigin else { return self }
    return group().add(middleware: crossOrigin).add(middleware: ProblemMiddleware())
  }
}
