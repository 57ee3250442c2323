"""Asking the mail server whether a mailbox exists. Slow, and it doesn't like it."""

import smtplib


def exists(address, host="mail.village.example"):
    with smtplib.SMTP(host, timeout=10) as server:
        server.helo("gazette.village.example")
        server.mail("gazette@village.example")
        code, _ = server.rcpt(address)
        return code != 550
