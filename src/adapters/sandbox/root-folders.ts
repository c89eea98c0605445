import { lstatSync, readlinkSync } from 'node:fs'

const candidates = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/**
 * The folders of programs and libraries beside /usr: links into it on a merged system, real folders
 * elsewhere.
 */
export function rootFolders(): readonly { readonly path: string; readonly link: string | null }[] {
  return candidates.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return []
    return [{ path, link: stats.isSymbolicLink() ? readlinkSync(path) : null }]
  })
}
