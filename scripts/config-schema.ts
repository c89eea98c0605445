import { writeFile } from 'node:fs/promises'
import { repositoryJsonSchema, userJsonSchema } from '../src/config/json-schema.ts'

/**
 * Writes the JSON Schemas of both configuration files at the root of the package: `npm run
 * config-schema`.
 */
const schemas = { 'config.schema.json': repositoryJsonSchema(), 'user-config.schema.json': userJsonSchema() }
for (const [file, schema] of Object.entries(schemas))
  await writeFile(new URL(`../${file}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)
