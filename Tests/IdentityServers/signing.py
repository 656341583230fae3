"""Keys and ID tokens of the test server, standard library only: good enough to be verified, not to guard anything."""
import base64
import hashlib
import hmac
import json
import math
import secrets


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(value, length):
    return base64url(value.to_bytes(length, "big"))


class EllipticKey:
    """ES256 (RFC 7518 section 3.4) on P-256."""

    ALGORITHM = "ES256"
    P = 2**256 - 2**224 + 2**192 + 2**96 - 1
    N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    G = (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    )

    def __init__(self, secret=None):
        self.secret = secret or secrets.randbelow(self.N - 1) + 1
        self.x, self.y = self.times(self.secret, self.G)
        self.id = base64url(hashlib.sha256(b"%d" % self.x).digest()[:8])

    def add(self, a, b):
        if a is None or b is None:
            return a or b
        if a[0] == b[0] and (a[1] + b[1]) % self.P == 0:
            return None
        if a == b:
            slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, self.P)
        else:
            slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, self.P)
        x = (slope * slope - a[0] - b[0]) % self.P
        return x, (slope * (a[0] - x) - a[1]) % self.P

    def times(self, factor, point):
        total = None
        while factor:
            if factor & 1:
                total = self.add(total, point)
            point, factor = self.add(point, point), factor >> 1
        return total

    def sign(self, data):
        digest = int.from_bytes(hashlib.sha256(data).digest(), "big")
        r = s = 0
        while not r or not s:
            k = secrets.randbelow(self.N - 1) + 1
            r = self.times(k, self.G)[0] % self.N
            s = pow(k, -1, self.N) * (digest + r * self.secret) % self.N
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def jwt(self, claims):
        head = {"alg": "ES256", "typ": "JWT", "kid": self.id}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (head, claims))
        return text + "." + base64url(self.sign(text.encode()))

    def verify(self, text, public):
        """The claims of a token signed with the private half of `public`, or None."""
        head, claims, signature = text.split(".")
        if json.loads(from_base64url(head)).get("alg") != "ES256":
            return None
        point = tuple(int.from_bytes(from_base64url(value), "big") for value in public)
        r, s = (int.from_bytes(from_base64url(signature)[half:half + 32], "big") for half in (0, 32))
        digest = int.from_bytes(hashlib.sha256((head + "." + claims).encode()).digest(), "big")
        if not (0 < r < self.N and 0 < s < self.N):
            return None
        w = pow(s, -1, self.N)
        found = self.add(self.times(digest * w % self.N, self.G), self.times(r * w % self.N, point))
        return json.loads(from_base64url(claims)) if found and found[0] % self.N == r else None

    def jwk(self):
        return {
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id,
            "x": number(self.x, 32), "y": number(self.y, 32),
        }


class RSAKey:
    """RS256 (RFC 7518 section 3.3), 2048 bits."""

    ALGORITHM = "RS256"
    # DER of DigestInfo for SHA-256 (RFC 8017 section 9.2, note 1).
    PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")

    def __init__(self, secret=None):
        self.secret = secret or [self.prime(), self.prime()]
        p, q = self.secret
        self.n, self.e = p * q, 65537
        self.d = pow(self.e, -1, (p - 1) * (q - 1))
        self.id = base64url(hashlib.sha256(b"%d" % self.n).digest()[:8])

    SMALL_PRIMES = math.prod(n for n in range(3, 2000, 2) if all(n % d for d in range(3, 45, 2) if d < n))

    @classmethod
    def prime(cls):
        while True:
            # The two highest bits: a product of two such primes has 2048.
            candidate = secrets.randbits(1024) | 3 << 1022 | 1
            if math.gcd(candidate, cls.SMALL_PRIMES) == 1 and candidate % 65537 != 1:
                if pow(2, candidate - 1, candidate) == 1:
                    return candidate

    def sign(self, data):
        digest = self.PREFIX + hashlib.sha256(data).digest()
        padded = b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
        return pow(int.from_bytes(padded, "big"), self.d, self.n).to_bytes(256, "big")

    def jwk(self):
        return {
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.id,
            "n": number(self.n, 256), "e": number(self.e, 3),
        }


class Keys:
    """One key for each algorithm, made when it is first needed, and what they sign."""

    KINDS = {"ES256": EllipticKey, "RS256": RSAKey}
    # What a token can be made to have wrong, beside single claims (see `claims_with`).
    FAULTS = ("none", "hs256", "kid", "signature", "no_kid", "crit")

    def __init__(self, kept=None):
        self.current = {name: self.KINDS[name](secret) for name, secret in (kept or {}).items()}

    def kept(self):
        return {name: key.secret for name, key in self.current.items()}

    def key(self, algorithm):
        if algorithm not in self.current:
            self.current[algorithm] = self.KINDS[algorithm]()
        return self.current[algorithm]

    def rotate(self):
        """The old keys are not published any more."""
        self.current = {name: self.KINDS[name]() for name in self.current}

    def jwks(self, algorithm):
        self.key(algorithm)
        return {"keys": [key.jwk() for key in self.current.values()]}

    def token(self, claims, algorithm, fault=""):
        key = self.key(algorithm)
        head = {"alg": algorithm, "typ": "JWT", "kid": key.id}
        if fault == "none":
            head = {"alg": "none", "typ": "JWT"}
        elif fault == "hs256":
            head["alg"] = "HS256"
        elif fault == "kid":
            head["kid"] = "nobody's"
        elif fault == "no_kid":
            del head["kid"]
        elif fault == "crit":
            head |= {"crit": ["exp"], "exp": 0}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (head, claims))
        if fault == "none":
            return text + "."
        if fault == "hs256":
            # The public key, which everybody has, as the secret: as a confused verifier would use it.
            public = json.dumps(key.jwk()).encode()
            return text + "." + base64url(hmac.new(public, text.encode(), hashlib.sha256).digest())
        signature = bytearray(key.sign(text.encode()))
        if fault == "signature":
            signature[-1] ^= 1
        return text + "." + base64url(bytes(signature))


def claims_with(fault, claims):
    """The claims, one of them wrong."""
    wrong = {
        "iss": {"iss": "https://other.example"}, "aud": {"aud": "another-client"}, "sub": {"sub": "mallory"},
        "expired": {"iat": claims["iat"] - 7200, "exp": claims["iat"] - 3600},
        "nonce": {"nonce": "another"}, "azp": {"azp": "another-client"},
        "future": {"iat": claims["iat"] + 7200, "exp": claims["iat"] + 10800},
        "auth_time": {"auth_time": claims["auth_time"] - 86400},
    }
    return claims | wrong.get(fault, {})
