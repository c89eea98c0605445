import { expect, test } from 'vitest'
import {
  type RequestEvent,
  type RequestState,
  requestEvents,
  requestKinds,
  requestStates,
  requestTable,
} from '../../src/domain/request/request.ts'

/** Contracts: OPEN ⇄ ESCALATED, → ANSWERED; a waiting request is cancelled with its story. */
const expected: readonly (readonly [RequestState, RequestEvent, RequestState])[] = [
  ['OPEN', 'answered', 'ANSWERED'],
  ['OPEN', 'escalated', 'ESCALATED'],
  ['OPEN', 'cancelled', 'CANCELLED'],
  ['ESCALATED', 'guided', 'OPEN'],
  ['ESCALATED', 'cancelled', 'CANCELLED'],
]

test('a request answers every event in every state as its table says', () => {
  const table = requestStates.flatMap((state) =>
    requestEvents.flatMap((event) => {
      const next = requestTable[state][event]
      return next ? [[state, event, next]] : []
    }),
  )
  expect(table).toEqual(expected)
})

test('the table has a row for every state and none for another', () => {
  expect(Object.keys(requestTable).sort()).toEqual([...requestStates].sort())
})

test('the kinds of request are these six', () => {
  expect([...requestKinds].sort()).toEqual(['acceptance', 'budget', 'code', 'completion', 'plan', 'question'])
})
