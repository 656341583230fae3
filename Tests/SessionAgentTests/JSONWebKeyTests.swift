import AuthModel
import Testing

@testable import SessionAgent

/// The examples of RFC 7515, appendix A.
@Suite struct JSONWebKeyTests {
  static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  static let rsaModulus =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-"
    + "SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS"
    + "-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2"
    + "ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
  static let rsaSignature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJd"
    + "bF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9"
    + "383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIh"
    + "WkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
  static let curvePoint =
    #""x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#
  static let curveSignature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  static let rsa = #"{"kty":"RSA","e":"AQAB","n":"\#(rsaModulus)"}"#
  static let elliptic = #"{"kty":"EC","crv":"P-256",\#(curvePoint)}"#

  static func key(_ text: String) -> JSONWebKey? { JSONObject.parse(Secret(text)).flatMap { JSONWebKey($0) } }

  /// A.2 and A.3.
  static let examples = [
    (rsa, "eyJhbGciOiJSUzI1NiJ9", rsaSignature, SigningAlgorithm.rs256),
    (elliptic, "eyJhbGciOiJFUzI1NiJ9", curveSignature, .es256),
  ]

  @Test(arguments: examples) func `the example of the standard verifies, and nothing else does`(
    text: String, header: String, signature: String, algorithm: SigningAlgorithm
  ) throws {
    let key = try #require(Self.key(text))
    #expect(SigningAlgorithm.allCases.filter { key.fits($0) }.contains(algorithm))
    #expect(key.verifies(Secret("\(header).\(Self.payload).\(signature)")))
    let other = Self.payload.replacing("eyJpc3MiOiJqb2Ui", with: "eyJpc3MiOiJqb2Uj")
    #expect(!key.verifies(Secret("\(header).\(other).\(signature)")))
    #expect(!key.verifies(Secret("\(header).\(Self.payload).\(signature.dropLast(4))AAAA")))
    #expect(!key.verifies(Secret("\(header).\(Self.payload).")))
    #expect(!key.verifies(Secret("")))
  }

  @Test func `a signature of another kind of key is none`() throws {
    let keys = try [#require(Self.key(Self.rsa)), #require(Self.key(Self.elliptic))]
    for (key, example) in zip(keys, Self.examples.reversed()) {
      #expect(!key.fits(example.3))
      #expect(!key.verifies(Secret("\(example.1).\(Self.payload).\(example.2)")))
    }
    // A.1, HS256: with a public key as the secret anybody could sign. There is no such algorithm here.
    #expect(SigningAlgorithm(rawValue: "HS256") == nil && SigningAlgorithm(rawValue: "none") == nil)
  }

  static let unusable = [
    "{}", #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T"}"#,
    #"{"kty":"RSA","e":"AQAB","n":"AQAB"}"#, #"{"kty":"RSA","n":"\#(rsaModulus)"}"#,
    #"{"kty":"RSA","use":"enc","e":"AQAB","n":"\#(rsaModulus)"}"#,
    #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#, #"{"kty":"EC",\#(curvePoint)}"#,
    #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
  ]

  @Test(arguments: unusable) func `what can't verify a signature is no key`(text: String) {
    #expect(Self.key(text) == nil)
  }

  @Test func `a key is made for what it says, if it says so`() throws {
    let key = try #require(Self.key(Self.rsa.replacing("{", with: #"{"alg":"PS256","kid":"7","#)))
    #expect(key.id == "7")
    #expect(SigningAlgorithm.allCases.filter { key.fits($0) } == [.ps256])
    let curve = try #require(Self.key(Self.elliptic))
    #expect(SigningAlgorithm.allCases.filter { curve.fits($0) } == [.es256])
  }

  @Test func `a set passes over what it can't use`() throws {
    #expect(
      KeySet(Secret("[]")) == nil && KeySet(Secret("{}")) == nil && KeySet(Secret(#"{"keys":{}}"#)) == nil)
    let text = #"{"keys":[1,{},\#(Self.unusable[1]),\#(Self.rsa),\#(Self.elliptic),null]}"#
    #expect(try #require(KeySet(Secret(text))).keys.map(\.type) == [.rsa, .elliptic(curve: "P-256")])
  }
}
