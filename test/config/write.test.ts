import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadUserConfig, parseRepositoryConfig } from '../../src/config/load.ts'
import { writeRepositoryConfig, writeUserRepository } from '../../src/config/write.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'drydock-write-'))
})

afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const config = { verification: { steps: [{ name: 'test', command: 'npm test' }] } }

describe("the repository's file", () => {
  test('is written alone, and can be read', async () => {
    await writeRepositoryConfig(root, config)
    const text = await readFile(join(root, '.drydock/config.json'), 'utf8')
    expect(JSON.parse(text)).toEqual(config)
    expect(parseRepositoryConfig(text, 'config.json')).toMatchObject(config)
    expect(await readdir(root, { recursive: true })).toEqual(['.drydock', '.drydock/config.json'])
  })

  const long = ['a'.repeat(30), 'b'.repeat(40)]
  const verification = { prepare: [{ outputs: ['a', 'b'], inputs: long }], steps: [] }
  const twoSpaces = `{
  "verification": {
    "prepare": [
      {
        "outputs": ["a", "b"],
        "inputs": [
          "${long[0]}",
          "${long[1]}"
        ]
      }
    ],
    "steps": []
  }
}
`
  const indentedBy = (indent: string) => twoSpaces.replace(/^ +/gm, (spaces) => indent.repeat(spaces.length / 2))
  const wide = (indent: string) => indentedBy(indent).replace(/\[\n\s+("a{30}"),\n\s+("b{40}")\n\s+\]/, '[$1, $2]')

  test.each<[string, Record<string, string>, string]>([
    ['nothing', {}, twoSpaces],
    ['package.json', { 'package.json': '{\n\t"name": "a"\n}' }, indentedBy('\t')],
    [
      'the section of .editorconfig that is about it',
      {
        '.editorconfig':
          'root = true\n[*]\nindent_style = tab\n[*.{json,yml}]\nindent_style=space\nindent_size=4\n[*.c]\nindent_size=8',
      },
      indentedBy('    '),
    ],
    [
      'Prettier, over .editorconfig',
      { '.prettierrc': 'tabWidth: 3\nprintWidth: 120\n', '.editorconfig': '[*]\nindent_size = 8' },
      wide('   '),
    ],
    ['Prettier in package.json', { 'package.json': '{"prettier":{"useTabs":true}}' }, indentedBy('\t')],
    ['Biome, which means tabs', { 'biome.jsonc': '{\n  // ours\n  "linter": {}\n}' }, indentedBy('\t')],
    [
      'Biome, with a remark behind a key and a comma too many',
      { 'biome.jsonc': '{ "formatter": {\n  "indentStyle": "space", // not "tab"\n  "indentWidth": 4,\n} }' },
      indentedBy('    '),
    ],
    [
      'Biome, for JSON',
      { 'biome.json': '{"formatter":{"lineWidth":120},"json":{"formatter":{"indentStyle":"space","indentWidth":4}}}' },
      wide('    '),
    ],
    ['line ends', { '.editorconfig': '[*]\nend_of_line = crlf' }, twoSpaces.replaceAll('\n', '\r\n')],
  ])('has the form that the repository gives its JSON, by %s', async (_name, files, text) => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content)
    await writeRepositoryConfig(root, { verification } as never)
    expect(await readFile(join(root, '.drydock/config.json'), 'utf8')).toBe(text)
  })

  test('is never overwritten', async () => {
    await mkdir(join(root, '.drydock'))
    await writeFile(join(root, '.drydock/config.json'), 'mine')
    await expect(writeRepositoryConfig(root, config)).rejects.toMatchObject({ code: 'bad_usage' })
    expect(await readFile(join(root, '.drydock/config.json'), 'utf8')).toBe('mine')
  })

  test('is never written through a link that leads out of the repository', async () => {
    const outside = join(root, 'outside')
    await mkdir(join(root, 'repository', '.drydock'), { recursive: true })
    await mkdir(outside)
    await writeFile(join(outside, 'config'), 'mine')
    await symlink(join(outside, 'config'), join(root, 'repository', '.drydock', 'config.json'))
    await expect(writeRepositoryConfig(join(root, 'repository'), config)).rejects.toMatchObject({ code: 'bad_usage' })
    expect(await readFile(join(outside, 'config'), 'utf8')).toBe('mine')

    await rm(join(root, 'repository', '.drydock'), { recursive: true })
    await symlink(outside, join(root, 'repository', '.drydock'))
    await expect(writeRepositoryConfig(join(root, 'repository'), config)).rejects.toMatchObject({ code: 'bad_usage' })
    expect(await readdir(outside)).toEqual(['config'])
  })
})

describe("the user's file", () => {
  const env = () => ({ XDG_CONFIG_HOME: root })
  const userFile = () => join(root, 'drydock', 'config.json')
  const write = (repositoryPath: string) => writeUserRepository({ userFile: userFile(), repositoryPath, config })

  test('is made when there is none, for the user alone', async () => {
    await write('/repository')
    expect(JSON.parse(await readFile(userFile(), 'utf8'))).toEqual({ repositories: { '/repository': config } })
    expect((await stat(userFile())).mode & 0o777).toBe(0o600)
    expect((await loadUserConfig(env())).repositories['/repository']).toMatchObject(config)
  })

  test('keeps all that it held, and its mode', async () => {
    const old = { models: { default: 'a:b' }, repositories: { '/first': { editor: { coding_iterations: 3 } } } }
    await mkdir(join(root, 'drydock'))
    await writeFile(userFile(), JSON.stringify(old))
    await chmod(userFile(), 0o640)
    await write('/second')
    expect(JSON.parse(await readFile(userFile(), 'utf8'))).toEqual({
      ...old,
      repositories: { ...old.repositories, '/second': config },
    })
    expect((await stat(userFile())).mode & 0o777).toBe(0o640)
    expect(await readdir(join(root, 'drydock'))).toEqual(['config.json'])
  })

  test('stays a link when it is one', async () => {
    await mkdir(join(root, 'drydock'))
    await writeFile(join(root, 'dotfile.json'), '{}')
    await symlink(join(root, 'dotfile.json'), userFile())
    await write('/repository')
    expect(JSON.parse(await readFile(join(root, 'dotfile.json'), 'utf8'))).toHaveProperty('repositories')
  })

  test('is left alone when it names the repository already, or cannot be read', async () => {
    await write('/repository')
    await expect(write('/repository')).rejects.toMatchObject({ code: 'bad_usage' })
    await writeFile(userFile(), '{ "model": 1 }')
    await expect(write('/other')).rejects.toMatchObject({ code: 'bad_config' })
    expect(await readFile(userFile(), 'utf8')).toBe('{ "model": 1 }')
  })
})
