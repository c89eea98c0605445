import { expect, test } from 'vitest'
import { isSecretFile } from '../../src/domain/secrets/secret-files.ts'

test.each([
  '.env',
  'deep/er/.env.production',
  '.ENV',
  '.env/',
  '.env/.',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  'keys/id_ed25519',
  'tls/server.key',
  'tls/server.PEM',
  'release.keystore',
])('%s holds secrets by its name', (path) => {
  expect(isSecretFile(path)).toBe(true)
})

test.each([
  '.env.example',
  '.env.template',
  'id_ed25519.pub',
  'env',
  'src/key.ts',
  '.environment',
  'keys/README.md',
  '',
])('%s does not', (path) => {
  expect(isSecretFile(path)).toBe(false)
})
