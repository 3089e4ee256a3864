import HTTPTypes
import Hummingbird
import Library
import Music
import Rooms
import Signaling

/// `/v1/participants`: people across sessions, under one or many names.
struct ParticipantsResource {
  let library: Library
  let limits: ServerLimits

  var resources: [Resource] {
    let json: HTTPFields = [.acceptPost: MediaTypeName.json]
    return [
      Resource("/v1/participants").on(.get, .readPeople) { request, context in
        let query = try ListQuery(request, permitted: ["q"]).book(.people, for: context.grant.principal)
        return try await Response.page(of: query, in: library.index, to: request) {
          PageText(try await library.index.people($0), Representation.person)
        }
      },
      Resource("/v1/participants/:participant", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.get, .readPeople) { request, context in
          let id: ParticipantID = try context.identifier("participant")
          guard let person = try await library.index.person(id) else { throw LibraryError.unknownPerson(id) }
          return ParticipantsResource.answer(person, to: request)
        }
        .on(.patch, .editPeople) { request, context in
          let fields = try await request.patch(["name"], limit: limits.body)
          let id: ParticipantID = try context.identifier("participant")
          guard fields.has("name") else {
            throw Problem.invalid("name", value: nil, "\"name\" is missing; it must be a string, or null")
          }
          let name = try fields.optionalString("name") == nil ? nil : try fields.displayName("name")
          let person = try await library.renamePerson(
            id, to: name, ifRevision: try Revision.expected(request.headers))
          return ParticipantsResource.answer(person, to: request)
        },
      Resource("/v1/participants/:participant/merge", options: json).on(.post, .editPeople) { request, context in
        let others = try await ParticipantsResource.others(in: request, limits)
        let person = try await library.mergePeople(
          others, into: try context.identifier("participant"), ifRevision: try Revision.expected(request.headers))
        return ParticipantsResource.answer(person, to: request)
      },
      Resource("/v1/participants/:participant/separate", options: json).on(.post, .editPeople) { request, context in
        let id: ParticipantID = try context.identifier("participant")
        var revision = try Revision.expected(request.headers)
        for other in try await ParticipantsResource.others(in: request, limits) {
          _ = try await library.separatePerson(other, from: id, ifRevision: revision)
          revision = nil
        }
        guard let person = try await library.index.person(id) else { throw LibraryError.unknownPerson(id) }
        return ParticipantsResource.answer(person, to: request)
      },
    ]
  }

  private static func others(in request: Request, _ limits: ServerLimits) async throws -> [ParticipantID] {
    let fields = try await request.fields(["participants"], limit: limits.body)
    let texts = try fields.optionalStrings("participants") ?? []
    guard !texts.isEmpty else {
      throw Problem.invalid("participants", value: nil, "\"participants\" must be a list of at least one id")
    }
    return try texts.map { text throws(Problem) in
      guard let id = ParticipantID(text) else {
        throw Problem.invalid("participants", value: text, "\"participants\" must hold ids of 26 characters")
      }
      return id
    }
  }

  private static func answer(_ person: Person, to request: Request) -> Response {
    Response(Representation.person(person), revision: person.revision, to: request)
  }
}
