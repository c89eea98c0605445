/** The folder of a path; '' for a file at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The last name of a path without its extensions. */
export function stemOf(path: string): string {
  return nameOf(path).replace(/(?<=.)\..*$/, '')
}

/** A path relative to a folder, without `.` and `..`; null where it leaves the tree. */
export function joined(folder: string, path: string): string | null {
  const parts: string[] = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/** A folder and its parents, up to the top, which is ''. */
export function foldersAbove(folder: string): readonly string[] {
  const found = [folder]
  for (let at = folder; at !== ''; ) {
    at = folderOf(at)
    found.push(at)
  }
  return found
}
