/** Parses an object id in git's output. */
export function objectId(text: string | Buffer): string {
  const id = text.toString().trim()
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id)) throw new Error(`${JSON.stringify(id)} is not an object id`)
  return id
}

/** The hash function of the object's repository. */
export function objectFormat(sha: string): 'sha1' | 'sha256' {
  return sha.length === 64 ? 'sha256' : 'sha1'
}

/** The id of the tree without files, which git knows in every repository. */
export function emptyTree(sha: string): string {
  return objectFormat(sha) === 'sha1'
    ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    : '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
}
