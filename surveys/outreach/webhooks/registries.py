"""Addresses of no public host: IANA's registries of special addresses, and internal ones of clouds.

From the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates, as of October 2025), the
multicast, reserved and site-local ranges of RFC 1112, RFC 5771 and RFC 3879, and the documentation of Microsoft Azure.
Each range is refused as a whole, also where IANA calls a part of it reachable: nobody runs a receiver there.
"""

import ipaddress

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
"""All that IANA gives out for public hosts; ::/96, 5f00::/16, fc00::/7, fe80::/10 and fec0::/10 are outside."""

IPV4_IN_IPV6 = tuple(ipaddress.IPv6Network(one) for one in ("::ffff:0:0/96", "64:ff9b::/96"))
"""IPv4 addresses in IPv6, mapped or behind a translator (NAT64): the last 32 bits are the real one."""

SPECIAL_IPV4 = tuple(
    ipaddress.IPv4Network(one)
    for one in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by the customers of a provider
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's host, from each of its machines
        "169.254.0.0/16",  # link-local, where clouds keep credentials
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # IETF protocols, and Oracle's metadata at 192.0.0.192
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and the broadcast address
    )
)

SPECIAL_IPV6 = tuple(
    ipaddress.IPv6Network(one)
    for one in (
        "2001::/23",  # IETF protocols, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
"""Special-purpose ranges within PUBLIC_IPV6."""


def is_public(address: IPAddress) -> bool:
    """True if a host of the public Internet can have this address."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not any(address in special for special in SPECIAL_IPV4)
    special = any(address in network for network in SPECIAL_IPV6)
    return address in PUBLIC_IPV6 and address.is_global and not address.is_reserved and not special


def real_address(address: IPAddress) -> IPAddress:
    """The final destination of packets, where this address only wraps it."""
    if isinstance(address, ipaddress.IPv6Address) and any(address in wrapped for wrapped in IPV4_IN_IPV6):
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address
