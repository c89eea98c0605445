import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

/** Generated from the schemas that Kubernetes publishes. The package is too large to depend on. */
const published = 'kubernetes-models@5.1.0'
const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'deploy', 'kubernetes')

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

let made: string
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'drydock-kubernetes-'))
  writeFileSync(join(made, 'package.json'), '{ "private": true, "type": "module" }')
  execFileSync('npm', ['install', '--ignore-scripts', '--prefix', made, published], { cwd: made })
})
afterAll(() => rmSync(made, { recursive: true, force: true }))

/** The faults of manifests by the published schemas and the types of the same package. */
function faultsOf(manifests: readonly Manifest[]): string {
  const checked = manifests.map((each, i) => {
    const module = `kubernetes-models/${each.apiVersion}/${each.kind}`
    // The schemas accept unknown properties, but a literal of the type does not.
    return `import { ${each.kind} as Model${i}, type I${each.kind} as Type${i} } from '${module}'
const manifest${i}: Type${i} = ${JSON.stringify(each, null, 1)}
new Model${i}(manifest${i}).validate()`
  })
  writeFileSync(join(made, 'manifests.ts'), checked.join('\n'))
  const options = ['--singleThreaded', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext']
  try {
    execFileSync(join(root, 'node_modules', '.bin', 'tsc'), [...options, 'manifests.ts'], { cwd: made })
    execFileSync(process.execPath, ['manifests.js'], { cwd: made, stdio: 'pipe' })
    return ''
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: Buffer; readonly stderr: Buffer }
    return `${stdout}${stderr}`
  }
}

const manifests = (): Manifest[] =>
  readdirSync(folder).flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((each): Manifest => each.toJS()),
  )

test('the manifests are as Kubernetes publishes their kinds, word by word', () => {
  expect(faultsOf(manifests())).toBe('')
})

test.each([
  ['a misspelled setting of the sandbox', (text: string) => text.replaceAll('procMount', 'procMont'), 'procMont'],
  ['a value that is none of those', (text: string) => text.replaceAll('"Parallel"', '"Paralel"'), 'Paralel'],
  ['a text for a number', (text: string) => text.replaceAll('"replicas":1', '"replicas":"1"'), 'number'],
  ['a resource that is no quantity', (text: string) => text.replaceAll('"50Gi"', '"fifty"'), 'storage'],
])('%s would be found', (_, wrong, said) => {
  expect(faultsOf(JSON.parse(wrong(JSON.stringify(manifests()))))).toContain(said)
})
