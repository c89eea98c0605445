import type { ForgeKind } from '../../domain/forge/known-forges.ts'
import type { RemoteAddress } from './remote-address.ts'

/** A forge that can be chosen. */
export interface NamedForge {
  readonly name: string
  readonly kind: ForgeKind
  readonly url: string
}

/** Hosts for git over SSH that differ from those of the web. */
const sshHosts: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
}

/** The path of the remote's repository on this forge; null if the remote is elsewhere. */
export function projectOn({ kind, url }: NamedForge, { protocol, host, path }: RemoteAddress): string | null {
  const web = new URL(url)
  const here = protocol === 'ssh' ? web.hostname : web.host
  if (here !== (sshHosts[host] ?? host)) return null
  // A forge may be in a subfolder of its server, which git over SSH does not know.
  const folder = web.pathname.replace(/^\/+|\/+$/g, '')
  const inside = protocol === 'ssh' || folder === '' ? path : below(folder, path)
  return inside !== null && isProject(kind, inside) ? inside : null
}

/** The repository in the last words of a path, on any server. */
export function projectNamed({ kind }: NamedForge, { path }: RemoteAddress): string | null {
  const words = path.split('/')
  const name = kind === 'gitlab' ? path : words.slice(-2).join('/')
  return isProject(kind, name) ? name : null
}

function below(folder: string, path: string): string | null {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null
}

/** GitLab has nested groups; all others have an owner and a name. */
function isProject(kind: ForgeKind, path: string): boolean {
  const words = path.split('/')
  const isPlain = words.every((word) => /^[A-Za-z0-9_.-]+$/.test(word) && !/^\.+$/.test(word))
  return isPlain && (kind === 'gitlab' ? words.length >= 2 : words.length === 2)
}
