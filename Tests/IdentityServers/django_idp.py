#!/usr/bin/env python3
"""django-oauth-toolkit as an identity server for tests and the demo: somebody else's idea of the standards.

Runs in the virtual environment that `scripts/setup` makes from requirements.txt. Loopback only. The same
options, the same first line of output and the same /test/ endpoints as idp.py, where the toolkit can do it.
Its endpoints lie elsewhere, end in a slash, and its discovery names no device endpoint: see `/test/endpoints`.
"""
import argparse
import hashlib
import json
import os
import secrets
import signal
import sys
import tempfile
import threading
import time
import uuid
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

SETTINGS = {  # our name: (the toolkit's, default)
    "access_lifetime": ("ACCESS_TOKEN_EXPIRE_SECONDS", 300),
    "refresh_lifetime": ("REFRESH_TOKEN_EXPIRE_SECONDS", 86400),
    "reuse_window": ("REFRESH_TOKEN_GRACE_PERIOD_SECONDS", 0),
    "rotate": ("ROTATE_REFRESH_TOKEN", True),
    "device_interval": ("DEVICE_FLOW_INTERVAL", 1),
}
ENDPOINTS = {
    "token": "/token/", "device_authorization": "/device-authorization/", "introspection": "/introspect/",
    "revocation": "/revoke_token/", "userinfo": "/userinfo/",
}
CLIENTS = {"nightlatch": "", "nightlatch-demo": "", "nightlatch-confidential": "loopback-secret"}
PEOPLE = {"alice": "Alice", "bob": "Bob"}  # and all are called Example
REQUESTS = []
USERINFO = []


def configure(folder, chosen):
    """Sets Django up on a database and a signing key in `folder`, making them if they are not there."""
    import django
    from django.conf import settings

    app = "django.template.backends.django.DjangoTemplates"
    auth = "django.contrib.auth.context_processors.auth"
    settings.configure(
        SECRET_KEY=secrets.token_hex(32), ALLOWED_HOSTS=["127.0.0.1", "localhost"], ROOT_URLCONF=__name__, USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"],
        TEMPLATES=[{"BACKEND": app, "APP_DIRS": True, "OPTIONS": {"context_processors": [auth]}}],
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "django.sqlite3"),
            # Write transactions queue up instead of failing as "locked".
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
        }},
        LOGGING={
            "version": 1, "handlers": {"stderr": {"class": "logging.StreamHandler"}},
            "root": {"handlers": ["stderr"], "level": "ERROR"},
            # A refused refresh is what tests are made of, not an incident.
            "loggers": {"django.request": {"level": "CRITICAL"}, "oauthlib": {"level": "CRITICAL"}},
        },
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": signing_key(os.path.join(folder, "signing-key.pem")),
            "SCOPES": {"openid": "Who you are", "offline_access": "Stay signed in", "profile": "Your name"},
            "DEFAULT_SCOPES": ["openid", "offline_access"],
            "REFRESH_TOKEN_REUSE_PROTECTION": True,
            # Without it the toolkit reads lifetimes once, and /test/settings would change nothing.
            "ALWAYS_RELOAD_OAUTHLIB_CORE": True,
            **{theirs: chosen.get(ours, default) for ours, (theirs, default) in SETTINGS.items()},
        },
    )
    django.setup()


def signing_key(path):
    """The RSA key in `path` as PEM, made on first use."""
    if not os.path.exists(path):
        from jwcrypto.jwk import JWK

        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(JWK.generate(kty="RSA", size=2048).export_to_pem(private_key=True, password=None))
    with open(path, encoding="ascii") as file:
        return file.read()


def fill_database():
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0, interactive=False)
    for name, first in PEOPLE.items():
        owner, _ = User.objects.get_or_create(username=name, defaults={"first_name": first, "last_name": "Example"})
    for name, secret in CLIENTS.items():
        Application.objects.get_or_create(client_id=name, defaults={
            "name": name, "user": owner, "client_secret": secret, "algorithm": "RS256",
            "client_type": "confidential" if secret else "public", "skip_authorization": True,
            "authorization_grant_type": Application.GRANT_DEVICE_CODE,
        })


# The test endpoints. Django calls them with its request; each answers what becomes JSON.


def approve(form):
    from django.contrib.auth.models import User
    from oauth2_provider.models import get_device_grant_model

    devices = get_device_grant_model()
    pending = devices.objects.filter(status=devices.AUTHORIZATION_PENDING)
    if form.get("user_code"):
        pending = pending.filter(user_code=form["user_code"].replace("-", ""))
    status = devices.AUTHORIZED if str(form.get("ok", "1")) == "1" else devices.DENIED
    return {"answered": pending.update(status=status, user=User.objects.get(username=form.get("user", "alice")))}


def grant(form):
    from datetime import timedelta

    from django.contrib.auth.models import User
    from django.utils import timezone
    from oauth2_provider.models import AccessToken, Application, RefreshToken
    from oauth2_provider.settings import oauth2_settings

    lifetime = oauth2_settings.ACCESS_TOKEN_EXPIRE_SECONDS
    owner = {
        "user": User.objects.get(username=form.get("user", "alice")),
        "application": Application.objects.get(client_id=form.get("client_id", "nightlatch")),
    }
    access = AccessToken.objects.create(
        token=secrets.token_urlsafe(24), expires=timezone.now() + timedelta(seconds=lifetime),
        scope=form.get("scope", "openid offline_access"), **owner)
    refresh = RefreshToken.objects.create(token=secrets.token_urlsafe(24), access_token=access, token_family=uuid.uuid4(), **owner)
    return {
        "access_token": access.token, "refresh_token": refresh.token, "token_type": "Bearer",
        "scope": access.scope, "expires_in": lifetime,
    }


def settings_now(_=None):
    from oauth2_provider.settings import oauth2_settings

    return {ours: getattr(oauth2_settings, theirs) for ours, (theirs, _) in SETTINGS.items()}


def change_settings(form):
    from oauth2_provider.settings import oauth2_settings

    for name, value in form.items():
        setattr(oauth2_settings, SETTINGS[name][0], json.loads(value) if isinstance(value, str) else value)
    return settings_now()


def revoke(form):
    from oauth2_provider.models import AccessToken, RefreshToken

    live = RefreshToken.objects.filter(revoked__isnull=True)
    access = AccessToken.objects.all()
    if form.get("user"):
        live, access = (rows.filter(user__username=form["user"]) for rows in (live, access))
    ended = len([token.revoke() for token in live])
    access.delete()
    return {"ended": ended}


def show_log(_):
    spends = {}
    for entry in REQUESTS:
        if entry["grant"] == "refresh_token":
            spends[entry["token_sha256"]] = spends.get(entry["token_sha256"], 0) + 1
    return {"requests": REQUESTS, "spends": spends, "userinfo": len(USERINFO)}


def forget_log(_):
    REQUESTS.clear()
    USERINFO.clear()
    return {}


def endpoints(_):
    return ENDPOINTS


def answering(get=None, post=None):
    """A Django view of test endpoints."""
    from django.http import JsonResponse
    from django.views.decorators.csrf import csrf_exempt

    @csrf_exempt
    def view(request):
        action = {"GET": get, "POST": post}.get(request.method)
        if not action:
            return JsonResponse({"error": "invalid_request"}, status=405)
        try:
            form = json.loads(request.body or b"{}") if "json" in (request.content_type or "") else request.POST.dict()
            return JsonResponse(action(form))
        except (LookupError, ValueError) as error:
            return JsonResponse({"error": "invalid_request", "error_description": str(error)}, status=400)

    return view


def recorded(view):
    """The token view, with an entry in the log for each request."""
    from django.views.decorators.csrf import csrf_exempt

    @csrf_exempt
    def recording(request):
        form = request.POST
        token = form.get("refresh_token") or form.get("device_code") or ""
        entry = {
            "at": time.time(), "grant": form.get("grant_type", ""), "client": form.get("client_id", ""),
            "token_sha256": hashlib.sha256(token.encode()).hexdigest(), "status": None, "error": None,
        }
        REQUESTS.append(entry)
        response = view(request)
        entry["status"] = response.status_code
        if response.status_code != 200:
            try:
                entry["error"] = json.loads(response.content).get("error")
            except ValueError:
                entry["error"] = "unreadable"
        return response

    return recording


def counted(view):
    """The userinfo view, with a count of the calls that it answered."""
    from django.views.decorators.csrf import csrf_exempt

    @csrf_exempt
    def counting(request):
        response = view(request)
        if response.status_code == 200:
            USERINFO.append(time.time())
        return response

    return counting


def urls():
    from django.urls import include, path
    from oauth2_provider.views import TokenView, UserInfoView

    userinfo = counted(UserInfoView.as_view())

    return [
        path("test/approve", answering(post=approve)), path("test/grant", answering(post=grant)),
        path("test/settings", answering(get=settings_now, post=change_settings)),
        path("test/revoke", answering(post=revoke)), path("test/log", answering(get=show_log)),
        path("test/forget", answering(post=forget_log)), path("test/endpoints", answering(get=endpoints)),
        # With and without a slash: what calls it need not know whose server it is.
        path("userinfo", userinfo), path("userinfo/", userinfo),
        path("token/", recorded(TokenView.as_view())),
        path("", include("oauth2_provider.urls", namespace="oauth2_provider")),
    ]


def naming_validator():
    """The toolkit's rules, with people known by their names instead of row numbers."""
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class NamingValidator(OAuth2Validator):
        def get_additional_claims(self, request):
            return {"sub": request.user.username, "name": request.user.get_full_name()}

    return NamingValidator


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def end_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--state", metavar="FOLDER", help="keep the database here, so that a restart forgets nothing")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input is closed")
    for name, (_, default) in SETTINGS.items():
        parser.add_argument("--" + name.replace("_", "-"), type=json.loads, metavar="VALUE", help="default: %s" % json.dumps(default))
    return vars(parser.parse_args())


def main():
    options = parse_options()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    if options["until_eof"]:
        threading.Thread(target=end_with_stdin, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="nightlatch-django.") as scratch:
        folder = options["state"] or scratch
        os.makedirs(folder, mode=0o700, exist_ok=True)
        configure(folder, {name: options[name] for name in SETTINGS if options[name] is not None})
        fill_database()
        serve(options["port"])


def serve(port):
    global urlpatterns
    from django.core.wsgi import get_wsgi_application
    from oauth2_provider.settings import oauth2_settings

    oauth2_settings.OAUTH2_VALIDATOR_CLASS = naming_validator()
    urlpatterns = urls()
    server = make_server("127.0.0.1", port, get_wsgi_application(), server_class=Server, handler_class=Handler)
    base = "http://127.0.0.1:%d" % server.server_port
    oauth2_settings.OAUTH_DEVICE_VERIFICATION_URI = base + "/device"
    print("listening " + base, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
