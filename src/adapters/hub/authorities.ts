import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { getCACertificates } from 'node:tls'

/**
 * Writes a file with all authorities that Node trusts, where `NODE_EXTRA_CA_CERTS` adds some: git
 * has a list of its own, and is to trust the same hub. Null where it need not be told.
 */
export function authoritiesFor(file: string): string | null {
  if (getCACertificates('extra').length === 0) return null
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${getCACertificates('default').join('\n')}\n`)
  return file
}
