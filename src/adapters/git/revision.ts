/** Parses what git prints as an object id. */
export function objectId(text: string | Buffer): string {
  const id = text.toString().trim()
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id)) throw new Error(`${JSON.stringify(id)} is not an object id`)
  return id
}

/** The hash of the repository that the object is in. */
export function objectFormat(sha: string): 'sha1' | 'sha256' {
  return sha.length === 64 ? 'sha256' : 'sha1'
}
