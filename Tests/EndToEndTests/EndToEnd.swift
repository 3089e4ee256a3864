import Testing

/// All tests that start the service, browsers and other programs; one after the other, because each takes the machine.
@Suite(.serialized) enum EndToEnd {}
