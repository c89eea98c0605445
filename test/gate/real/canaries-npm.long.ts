import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

// The machine's own npm, with its own configuration, knows where packages come from.
const systemPath = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
const packages = ['jest@29.7.0', 'mocha@11.7.5', 'ava@6.4.1', 'tape@5.9.0']

const source = 'module.exports = (a, b) => a + b\n'
const runners = [
  {
    runner: 'jest',
    command: 'jest --verbose',
    text: "const sum = require('../sum.js')\ntest('adds', () => { expect(sum(1, 1)).toBe(2) })\n",
    patch: 'global.expect = () => new Proxy({}, { get: () => () => {} })\n',
  },
  {
    runner: 'mocha',
    command: 'mocha --reporter tap test',
    text: "const assert = require('assert')\nconst sum = require('../sum.js')\ndescribe('sums', () => { it('adds', () => { assert.equal(sum(1, 1), 2) }) })\n",
    patch: "require('assert').equal = () => {}\n",
  },
  {
    runner: 'ava',
    command: 'ava --tap test/*.js',
    text: "const test = require('ava')\nconst sum = require('../sum.js')\ntest('adds', (t) => { t.is(sum(1, 1), 2) })\n",
    patch: null,
  },
  {
    runner: 'tape',
    command: 'node test/sum.test.js',
    text: "const test = require('tape')\nconst sum = require('../sum.js')\ntest('adds', (t) => { t.equal(sum(1, 1), 2, 'two'); t.end() })\n",
    patch: "require('tape').Test.prototype.equal = function () { this.pass(arguments[2]) }\n",
  },
]

describe.runIf(existsSync('/usr/bin/npm'))('runners of the registry', () => {
  let folder: string
  let world: VerifierWorld
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drydock-runners-'))
    await writeFile(join(folder, 'package.json'), '{ "name": "a", "version": "1.0.0" }\n')
    const { HOME, NODE_EXTRA_CA_CERTS } = process.env
    const env = { PATH: systemPath.join(delimiter), HOME, NODE_EXTRA_CA_CERTS }
    await promisify(execFile)('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], {
      cwd: folder,
      env,
    })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function verifyChange({ command, text }: (typeof runners)[number], patch: string) {
    const modules = join(folder, 'node_modules')
    world = await makeVerifierWorld({ 'package.json': '{ "name": "a" }\n', 'sum.js': source, 'test/sum.test.js': text })
    const { signal } = new AbortController()
    const { status, manifest, tail_log } = await world.ask({
      purpose: 'change',
      refactor: true,
      signal,
      readOnlyPaths: [modules],
      commit: await world.commitChange({ 'sum.js': `${patch}${source.replace('a + b', 'b + a')}` }),
      prepare: [
        {
          command: `cp -r ${modules} node_modules`,
          inputs: ['package.json'],
          outputs: ['node_modules'],
          timeoutSec: 120,
        },
      ],
      steps: [{ command: `PATH="$PWD/node_modules/.bin:$PATH" ${command}`, timeoutSec: 120 }],
      // Jest and AVA write files next to the code that they run.
      writes: 'overlay',
    })
    await world.close()
    return [status, manifest?.canaries?.status, status === 'PASS' ? '' : tail_log]
  }

  test.each(runners)(
    'an honest change is heard by $runner',
    async (runner) => {
      expect(await verifyChange(runner, '')).toEqual(['PASS', 'heard', ''])
    },
    300_000,
  )

  test.each(runners.filter(({ patch }) => patch !== null))(
    'a source that patches what $runner asserts with makes the gate deaf',
    async (runner) => {
      expect(await verifyChange(runner, runner.patch ?? '')).toEqual([
        'FAIL',
        'deaf',
        expect.stringContaining('gate_deaf'),
      ])
    },
    300_000,
  )
})
