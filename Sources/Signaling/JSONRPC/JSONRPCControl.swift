/// The methods of the connection itself, which are answered at once and outside the queue.
package enum JSONRPCControl: String, Hashable, Sendable, CaseIterable {
  case ping, connect, closeSession
}
