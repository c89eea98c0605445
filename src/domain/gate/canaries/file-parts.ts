export interface FileParts {
  /** Ends with a slash; empty for the top of the repository. */
  readonly folder: string
  readonly stem: string
  /** The extension with its dot. */
  readonly end: string
}

export function fileParts(path: string): FileParts {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const at = dot > 0 ? dot : name.length
  return { folder: path.slice(0, path.length - name.length), stem: name.slice(0, at), end: name.slice(at) }
}
