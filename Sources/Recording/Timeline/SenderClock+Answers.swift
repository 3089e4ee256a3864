extension SenderClock {
  /// Takes an answer that came at `arrival`, in seconds from the take's zero.
  mutating func observe(_ answer: ReportAnswer, arrival: Double) {
    observe(
      answerTo: arrival - answer.elapsed, held: answer.held, senderTime: answer.senderTime, arrival: arrival)
  }
}
