/** A remote of git as far as it names a repository on a server. */
export interface RemoteAddress {
  readonly protocol: 'http' | 'https' | 'ssh'
  /** In lower case, with its port for http and https if it is not the usual one. */
  readonly host: string
  /** Without slashes at its ends and without `.git`. */
  readonly path: string
}

/** Reads the URL of a remote; null for a folder, and for what git reads in another way. */
export function remoteAddress(url: string): RemoteAddress | null {
  const parsed = URL.parse(url)
  if (parsed !== null && /^(?:https?|ssh):$/.test(parsed.protocol) && parsed.hostname !== '') {
    const protocol = parsed.protocol.slice(0, -1) as RemoteAddress['protocol']
    const host = (protocol === 'ssh' ? parsed.hostname : parsed.host).toLowerCase()
    return addressOf(protocol, host, decoded(parsed.pathname))
  }
  // The short form: user@host:path. A slash before the colon makes it a folder.
  const [, host, path] = /^(?:[^@/:]+@)?([^@/:[\]]+):(?!\/\/)(.+)$/.exec(url) ?? []
  return host === undefined || path === undefined ? null : addressOf('ssh', host.toLowerCase(), path)
}

function addressOf(protocol: RemoteAddress['protocol'], host: string, raw: string): RemoteAddress | null {
  const path = raw.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  return path === '' ? null : { protocol, host, path }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
