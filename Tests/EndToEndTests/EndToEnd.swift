import Testing

/// The limit ends a test that waits for what never comes.
/// All tests that start the service, browsers and other programs; one after the other, because each takes the machine.
@Suite(.serialized, .timeLimit(.minutes(5))) enum EndToEnd {}
