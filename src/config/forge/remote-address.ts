/** A git remote that names a repository on a server. */
export interface RemoteAddress {
  readonly protocol: 'http' | 'https' | 'ssh'
  /** In lower case, with an unusual port for http and https. */
  readonly host: string
  /** The path of the project, without slashes at its ends and without `.git`. */
  readonly path: string
}

/** Parses the URL of a remote; null for a folder, and for forms that git reads differently. */
export function remoteAddress(url: string): RemoteAddress | null {
  const parsed = URL.parse(url)
  if (parsed !== null && /^(?:https?|ssh):$/.test(parsed.protocol) && parsed.hostname !== '') {
    const protocol = parsed.protocol.slice(0, -1) as RemoteAddress['protocol']
    const host = (protocol === 'ssh' ? parsed.hostname : parsed.host).toLowerCase()
    return addressOf(protocol, host, decoded(parsed.pathname))
  }
  // The short form user@host:path. With a slash before the colon it is a folder.
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
