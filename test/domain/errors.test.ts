import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { errorList, errorsDoc } from '../../scripts/error-list.ts'
import { errorCatalogue } from '../../src/domain/drydock-error.ts'
import { infraErrorTypes } from '../../src/domain/verification/verdict.ts'

test('docs/errors.md lists exactly the errors of the catalogue', async () => {
  const doc = await readFile(errorsDoc, 'utf8')
  expect(doc).toBe(errorList())
  for (const code of Object.keys(errorCatalogue)) expect(doc).toContain(`\`${code}\``)
  for (const type of infraErrorTypes) expect(doc).toContain(`\`${type}\``)
})
