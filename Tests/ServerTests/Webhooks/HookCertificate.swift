/// A certificate for the name hooks.test, and for no address, that signs itself and guards nothing; valid until 2126.
enum HookCertificate {
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmTCCAT6gAwIBAgIUO2fVFSBvauOmM81dECG13MKRa40wCgYIKoZIzj0EAwIw
    FTETMBEGA1UEAwwKaG9va3MudGVzdDAgFw0yNjExMjExMDIyNDZaGA8yMTI2MTAy
    ODEwMjI0NlowFTETMBEGA1UEAwwKaG9va3MudGVzdDBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABE6iBG16n/I9E4tYuM65zQe0HDzgQga6bPw/ZYfpV54h4szmNzUA
    LWv3OsHuTwZ28kmRjEBJxBOCsmLpYclT89ujajBoMB0GA1UdDgQWBBSgCEk/DyEk
    FujSr7P0+lagAX4cHzAfBgNVHSMEGDAWgBSgCEk/DyEkFujSr7P0+lagAX4cHzAP
    BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCmhvb2tzLnRlc3QwCgYIKoZIzj0E
    AwIDSQAwRgIhALMOm42lO5bVKrUQJhLtTQ57aE2RIUC3Cv4VvV1LfOsUAiEAubBN
    t2BLVYlevLxH//fSmUOSiQjDin+ciy2V7CwAtpM=
    -----END CERTIFICATE-----

    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKPBtYgevsGz0aH5v
    5iOnE39KDQvM39ueKnpoOIaO0vqhRANCAAROogRtep/yPROLWLjOuc0HtBw84EIG
    umz8P2WH6VeeIeLM5jc1AC1r9zrB7k8GdvJJkYxAScQTgrJi6WHJU/Pb
    -----END PRIVATE KEY-----

    """
}
