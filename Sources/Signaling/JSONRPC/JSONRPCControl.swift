/// The methods of the connection itself; they get a response at once and outside the queue.
package enum JSONRPCControl: String, Hashable, Sendable, CaseIterable {
  case ping, connect, closeSession
}
