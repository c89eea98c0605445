import { createHash } from 'node:crypto'
import type { AcceptanceFacts, AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'

export function acceptanceFacts({ files }: AcceptanceTests): AcceptanceFacts {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ path, content }) => [path, content])
  return { files: files.length, digest: createHash('sha256').update(JSON.stringify(sorted)).digest('hex') }
}
