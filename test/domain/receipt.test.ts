import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/domain/canonical-json.ts'
import type { Json } from '../../src/domain/json.ts'
import { limits } from '../../src/domain/limits.ts'
import { type Receipt, statementOf } from '../../src/domain/verification/receipt.ts'
import { speaksOf } from '../../src/domain/verification/receipt-fault.ts'
import { commit, tree, unsigned } from '../adapters/receipt-world.ts'

const receipt: Receipt = { ...unsigned(), drydock: { version: '1.2.3' } }

test('canonical JSON is the same value, and the same text whatever the order of its keys', () => {
  const shuffled = (value: Json): Json =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).toReversed())
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(shuffled(value as Json))).toBe(text)
    }),
  )
})

test('a statement is about the commit and its tree, and holds all of the receipt', () => {
  expect(statementOf(receipt)).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'commit', digest: { gitCommit: commit } },
      { name: 'tree', digest: { gitTree: tree } },
    ],
    predicateType: 'urn:drydock:receipt:1',
    predicate: receipt,
  })
})

test('a receipt tells what was verified, where and how, its reviewer, and the accepted findings', () => {
  const finding = {
    id: 'c1',
    severity: 'major',
    file: 'a.txt',
    line: 3,
    claim: 'wrong',
    evidence: 'a.txt:3',
    round: 1,
  } as const
  const manifest = {
    run_id: 'run_20261103_100000_abcdef',
    timestamp_start: 's',
    timestamp_end: 'e',
    base_sha: 'a'.repeat(40),
    commit_sha: commit,
    tree_sha: tree,
    commands_executed: [],
    limits: {},
    status: 'PASS',
    dependencies: [{ layer: 'f00', outputs: ['node_modules'] }],
    platform: { os: 'linux', arch: 'x64', sandbox: 'podman', image: 'img:1' },
    tests: { passed: 3, failed: 0, skipped: 1 },
    flaky: ['a.test > is slow'],
  } as const
  const made = unsigned({
    manifest,
    findings: [
      { ...finding, state: 'accepted' },
      { ...finding, id: 'g1', state: 'closed', by: 'gate' },
    ],
    escalations: [{ id: '7', question: 'How?', answer: 'Like so.', answered_by: 'human' }],
  })
  const said = { severity: 'major', file: 'a.txt', line: 3, claim: 'wrong', round: 1 }
  expect(made).toMatchObject({
    verification: {
      sandbox: 'podman',
      image: 'img:1',
      layers: [{ key: 'f00', outputs: ['node_modules'] }],
      tests: { passed: 3, failed: 0, skipped: 1 },
      flaky: ['a.test > is slow'],
      pre_existing: [],
    },
    findings: [
      { ...said, id: 'c1', state: 'accepted', raised_by: 'reviewer', accepted_by: 'architect' },
      { ...said, id: 'g1', state: 'closed', raised_by: 'gate', accepted_by: null },
    ],
    escalations: [{ id: '7', question: 'How?', answer: 'Like so.', answered_by: 'human' }],
  })
})

test('a finding that is accepted without a reviewer was accepted by a human', () => {
  const finding = { id: 'g1', severity: 'major', file: '', claim: 'gone', evidence: '', round: 1, by: 'gate' } as const
  const { findings } = unsigned({
    reviewer: null,
    findings: [
      { ...finding, state: 'accepted' },
      { ...finding, id: 'g2', state: 'open' },
    ],
  })
  expect(findings.map(({ id, accepted_by }) => [id, accepted_by])).toEqual([
    ['g1', 'human'],
    ['g2', null],
  ])
})

test('a recording is named without the place where it lies', () => {
  const { reviewer } = unsigned({
    reviewer: {
      agent: 'architect',
      model: 'replay:/home/me/x.json',
      request: 'code/one',
      round: 1,
      verdict: 'APPROVED',
    },
  })
  expect(reviewer?.model).toBe('replay')
})

test('however much there is to say, a receipt stays within its bounds and says what it leaves out', () => {
  const long = '\u0007'.repeat(100_000)
  const finding = {
    id: long,
    severity: 'minor',
    file: long,
    claim: long,
    evidence: long,
    state: 'closed',
    round: 1,
  } as const
  const escalation = { id: '1', question: long, answer: long, answered_by: 'human' }
  const made = unsigned({
    story: { id: 'one', title: long },
    findings: Array.from({ length: 1_000 }, () => finding),
    escalations: Array.from({ length: 1_000 }, () => escalation),
  })
  expect(made.left_out).toEqual({ layers: 0, commands: 0, tests: 0, findings: 900, escalations: 980 })
  expect(canonicalJson(made as unknown as Json).length).toBeLessThan((limits.receipt.bytes * 3) / 4)
})

test('a document about another commit or tree in any place is not about this one', () => {
  const statement = statementOf(receipt)
  const other = 'f'.repeat(40)
  const place = { commit, tree }
  expect(speaksOf(statement, place)).toBeNull()
  expect(speaksOf(statement, { commit: other, tree })).toEqual({ fault: 'receipt_other_commit', found: commit })
  expect(speaksOf(statement, { commit, tree: other })).toEqual({ fault: 'receipt_other_tree', found: tree })
  const subject = [...statement.subject, { name: 'more', digest: { gitCommit: other } }]
  expect(speaksOf({ ...statement, subject }, place)).toEqual({ fault: 'receipt_other_commit', found: other })
  const predicate = { ...receipt, tree: other }
  expect(speaksOf({ ...statement, predicate }, place)).toEqual({ fault: 'receipt_other_tree', found: other })
})
