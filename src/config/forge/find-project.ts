import type { ForgeKind } from '../../domain/forge/known-forges.ts'
import type { RemoteAddress } from './remote-address.ts'

/** A forge that can be chosen. */
export interface NamedForge {
  readonly name: string
  readonly kind: ForgeKind
  readonly url: string
}

/** Hosts of git over SSH that are not those of the web. */
const sshHosts: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
}

/** The path of the remote's repository on this forge; null when it lies elsewhere. */
export function projectOn({ kind, url }: NamedForge, { protocol, host, path }: RemoteAddress): string | null {
  const web = new URL(url)
  const here = protocol === 'ssh' ? web.hostname : web.host
  if (here !== (sshHosts[host] ?? host)) return null
  // A forge may lie in a folder of its server. Git over SSH knows nothing of that folder.
  const folder = web.pathname.replace(/^\/+|\/+$/g, '')
  const inside = protocol === 'ssh' || folder === '' ? path : below(folder, path)
  return inside !== null && isProject(kind, inside) ? inside : null
}

/** The repository that the last words of a path name, whichever server it is on. */
export function projectNamed({ kind }: NamedForge, { path }: RemoteAddress): string | null {
  const words = path.split('/')
  const name = kind === 'gitlab' ? path : words.slice(-2).join('/')
  return isProject(kind, name) ? name : null
}

function below(folder: string, path: string): string | null {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null
}

/** GitLab has groups in groups; all others have an owner and a name. */
function isProject(kind: ForgeKind, path: string): boolean {
  const words = path.split('/')
  const isPlain = words.every((word) => /^[A-Za-z0-9_.-]+$/.test(word) && !/^\.+$/.test(word))
  return isPlain && (kind === 'gitlab' ? words.length >= 2 : words.length === 2)
}
