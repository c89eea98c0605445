import { writeFile } from 'node:fs/promises'
import { repositoryJsonSchema } from '../src/config/schema.ts'

/** Writes config.schema.json at the root of the package: `npm run config-schema`. */
await writeFile(
  new URL('../config.schema.json', import.meta.url),
  `${JSON.stringify(repositoryJsonSchema(), null, 2)}\n`,
)
