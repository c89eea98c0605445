import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { isLoopback } from '../../../domain/loopback.ts'

/** The address of a hub. */
export interface HubDoor {
  /** The host name or address to listen on, and the port. */
  readonly host: string
  readonly port: number
  /** The TLS certificate and its key, in PEM. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** The origin of a reverse proxy, which speaks TLS with browsers; null without one. */
  readonly proxyOrigin: string | null
}

/** The host names that a hub accepts as its own. */
export interface HubNames {
  /** Null for a foreign name, which an attacker may have pointed to this hub. */
  readonly originAt: (host: string) => string | null
  /** True if browsers speak TLS with the hub or with its proxy. */
  readonly isSecure: boolean
  readonly isBehindProxy: boolean
}

/** Refuses an address that would send tokens unencrypted. Throws DrydockError `bad_usage`. */
export function checkDoor({ host, tls, proxyOrigin }: HubDoor): void {
  if (proxyOrigin !== null) {
    const url = URL.canParse(proxyOrigin) ? new URL(proxyOrigin) : null
    if (url === null || url.origin !== proxyOrigin || !/^https?:$/.test(url.protocol)) {
      throw refused(
        `${JSON.stringify(proxyOrigin)} is not an origin.`,
        'For example: --behind-proxy https://hub.example',
      )
    }
    if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
      throw refused(
        `Browsers would send tokens to ${proxyOrigin} without TLS.`,
        'Let the proxy speak TLS, and name its https origin.',
      )
    }
    return
  }
  if (tls !== null) checkTls(tls)
  if (tls !== null || isLoopback(host)) return
  throw refused(
    `A hub that listens at ${host} is reached by other machines, and would get tokens without TLS.`,
    'Give it --tls-cert and --tls-key, or --behind-proxy with the https origin of a proxy, or listen at 127.0.0.1.',
  )
}

function checkTls({ cert, key }: NonNullable<HubDoor['tls']>): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  } catch (error) {
    throw refused(
      `The certificate or its key is not PEM: ${error instanceof Error ? error.message : error}`,
      'Give --tls-cert a chain of certificates, and --tls-key its private key without a passphrase.',
    )
  }
  throw refused('The private key does not belong to the certificate.', 'Give --tls-key the key of --tls-cert.')
}

/** The host names of a hub at a port. Under TLS they are the names in its certificate. */
export function namesOf({ tls, proxyOrigin }: HubDoor, port: () => number): HubNames {
  if (proxyOrigin !== null) {
    const { host } = new URL(proxyOrigin)
    const originAt: HubNames['originAt'] = (given) => (given === host ? proxyOrigin : null)
    return { originAt, isSecure: proxyOrigin.startsWith('https:'), isBehindProxy: true }
  }
  if (tls === null) {
    const originAt: HubNames['originAt'] = (given) =>
      ['127.0.0.1', 'localhost', '[::1]'].some((name) => given === `${name}:${port()}`) ? `http://${given}` : null
    return { originAt, isSecure: false, isBehindProxy: false }
  }
  const certificate = new X509Certificate(tls.cert)
  const originAt: HubNames['originAt'] = (given) => {
    const origin = `https://${given}`
    if (!/^[A-Za-z0-9.[\]:-]{1,255}$/.test(given) || !URL.canParse(origin)) return null
    const { hostname, origin: own } = new URL(origin)
    const name = hostname.replaceAll(/[[\]]/g, '')
    const covers = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
    // Another port may be mapped to this one, so the port of the Host header is accepted.
    return covers === undefined ? null : own
  }
  return { originAt, isSecure: true, isBehindProxy: false }
}

function refused(message: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo })
}
