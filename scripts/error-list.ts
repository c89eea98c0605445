import { writeFile } from 'node:fs/promises'
import { errorCatalogue } from '../src/domain/drydock-error.ts'
import { infraErrorTypes } from '../src/domain/verification/verdict.ts'

export const errorsDoc = new URL('../docs/errors.md', import.meta.url)

/** The text of docs/errors.md, generated from the catalogue. */
export function errorList(): string {
  const errors = Object.entries(errorCatalogue)
  const codes = [...new Set(errors.map(([, { exit }]) => exit))].sort()
  const sections = codes.flatMap((code) => [
    `## Exit code ${code}`,
    '',
    ...errors.filter(([, { exit }]) => exit === code).map(([name, { what }]) => `- \`${name}\`: ${what}`),
    '',
  ])
  return [
    '# Errors',
    '',
    'Each error says what happened and what to do. `--json` prints it as `{ "type": "error", "code", "message", "todo" }`, or as `error` in the result of a',
    'run. `npm run docs` makes this page from `src/domain/drydock-error.ts`.',
    '',
    ...sections,
    'A verification or story that ended because of the infrastructure has an `error_type` instead, and exit code 4:',
    '',
    ...infraErrorTypes.map((type) => `- \`${type}\``),
    '',
  ].join('\n')
}

if (import.meta.main) await writeFile(errorsDoc, errorList())
