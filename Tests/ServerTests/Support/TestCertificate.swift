/// A certificate for localhost and 127.0.0.1 that signs itself and guards nothing; valid until 2126.
enum TestCertificate {
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBnDCCAUGgAwIBAgIUdHivosZOiGYpkJr8jzob1NjlS2owCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MjkxN1oYDzIxMjYxMDI4
    MDQyOTE3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAATF5sVmkRCDBtmuElHFrujasSA+jLsrRaqREDyygiX53r1Fe1bpZNLv
    VN9uvaITQDh4sbUHEJzUBI8ua/s+oieAo28wbTAdBgNVHQ4EFgQUQfkeTOUUcTPE
    GtQsIL5r5BV4J/MwHwYDVR0jBBgwFoAUQfkeTOUUcTPEGtQsIL5r5BV4J/MwDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSQAwRgIhANuLTtkAgcDtk7OVYpVugahyB2dvgtrsunJ2MHwDtQWxAiEA
    hZN1pPagNRlUVJ++oJiaLmQMwGSyJbzPELE/YiOG76Q=
    -----END CERTIFICATE-----

    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3uwNq3s7iVUEuiNH
    GUg/kTUQCZRMVs4j/uWNY+YlKQ+hRANCAATF5sVmkRCDBtmuElHFrujasSA+jLsr
    RaqREDyygiX53r1Fe1bpZNLvVN9uvaITQDh4sbUHEJzUBI8ua/s+oieA
    -----END PRIVATE KEY-----

    """
}
