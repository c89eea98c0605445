import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reduces GitHub's published description to the calls that Drydock makes, for the tests' local
 * forge: schemas of requests and answers, and an example of each answer. The package is too large
 * to depend on. `node scripts/github-openapi.ts api.github.com.json VERSION`
 */
const [, , file = '', version = ''] = process.argv
const published = JSON.parse(readFileSync(file, 'utf8'))

const answers: Readonly<Record<string, number>> = {
  'POST /repos/{owner}/{repo}/pulls': 201,
  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}': 200,
  'GET /repos/{owner}/{repo}/pulls': 200,
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers': 201,
  'POST /repos/{owner}/{repo}/statuses/{sha}': 201,
  'GET /repos/{owner}/{repo}/commits/{ref}/status': 200,
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': 200,
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': 200,
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments': 200,
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies': 201,
  'GET /repos/{owner}/{repo}/issues': 200,
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': 201,
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': 200,
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission': 200,
  'GET /repos/{owner}/{repo}/installation': 200,
  'POST /app/installations/{installation_id}/access_tokens': 201,
}

const forPeople = ['description', 'example', 'examples', 'title', 'deprecated', 'externalDocs']
const definitions: Record<string, unknown> = {}

/** Converts to JSON Schema: references into `$defs`, and null as a type. */
function schemaOf(node: unknown, isNames = false): unknown {
  if (Array.isArray(node)) return node.map((each) => schemaOf(each))
  if (node === null || typeof node !== 'object') return node
  if ('$ref' in node) return referred(String(node.$ref).split('/').at(-1) ?? '')
  const kept = Object.entries(node).filter(([key]) => isNames || !(forPeople.includes(key) || key.startsWith('x-')))
  const { nullable, ...made } = Object.fromEntries(
    kept.map(([key, value]) => [key, schemaOf(value, !isNames && key === 'properties')]),
  )
  return nullable === true ? { anyOf: [made, { type: 'null' }] } : made
}

function referred(name: string): object {
  if (!(name in definitions)) {
    definitions[name] = null
    definitions[name] = schemaOf(published.components.schemas[name])
  }
  return { $ref: `#/$defs/${name}` }
}

function operationOf([operation, status]: readonly [string, number]) {
  const [method = '', path = ''] = operation.split(' ')
  const described = published.paths[path][method.toLowerCase()]
  const content = described.responses[status].content['application/json']
  const [example] = Object.values<{ $ref?: string; value?: unknown }>(content.examples ?? {})
  const shown =
    example?.$ref === undefined ? example : published.components.examples[example.$ref.split('/').at(-1) ?? '']
  const body = described.requestBody?.content['application/json'].schema
  const parts = { status, answer: schemaOf(content.schema), ...(body && { request: schemaOf(body) }) }
  return [operation, { ...parts, example: shown?.value ?? null }]
}

const operations = Object.fromEntries(Object.entries(answers).map(operationOf))
const from = `@octokit/openapi ${version}, api.github.com.json, MIT licence`
const target = join(import.meta.dirname, '..', 'test', 'forge', 'github-openapi.json')
writeFileSync(target, `${JSON.stringify({ from, operations, $defs: definitions })}\n`)
