import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { getCACertificates } from 'node:tls'

/**
 * Writes a file with all certificate authorities that Node trusts, if `NODE_EXTRA_CA_CERTS` adds
 * some, since git has its own list and must trust the hub too. Null if there are no extra ones.
 */
export function authoritiesFor(file: string): string | null {
  if (getCACertificates('extra').length === 0) return null
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${getCACertificates('default').join('\n')}\n`)
  return file
}
