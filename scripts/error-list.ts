import { writeFile } from 'node:fs/promises'
import { errorCatalogue } from '../src/domain/drydock-error.ts'
import { infraErrorTypes } from '../src/domain/verification/verdict.ts'

export const errorsDoc = new URL('../docs/errors.md', import.meta.url)

/** The text of docs/errors.md, generated from the catalogue. */
export function errorList(): string {
  const rows = Object.entries(errorCatalogue).map(([code, { exit, what }]) => `| \`${code}\` | ${exit} | ${what} |`)
  return [
    '# Errors',
    '',
    'Made from `src/domain/drydock-error.ts` by `npm run docs`. Each error says what happened and what to do. `--json` prints it as an event',
    '`{ "type": "error", "code", "message", "todo" }`, or as `error` in the result of a run.',
    '',
    '| code | exit | what happened |',
    '| --- | --- | --- |',
    ...rows,
    '',
    'A verification or story that ended because of the infrastructure has an `error_type` instead. The exit code is 4. The types:',
    '',
    ...infraErrorTypes.map((type) => `- \`${type}\``),
    '',
  ].join('\n')
}

if (import.meta.main) await writeFile(errorsDoc, errorList())
