import { expect, test } from 'vitest'
import { hubOrigin } from '../../src/app/hub/at-hub.ts'
import { problemOfHubUrl } from '../../src/config/hub/hub-url.ts'

test.each([
  ['https://hub.example.com', 'https://hub.example.com'],
  ['https://hub.example.com/', 'https://hub.example.com'],
  ['https://Hub.Example.COM:443/', 'https://hub.example.com'],
  ['http://127.0.0.1:4517', 'http://127.0.0.1:4517'],
])('%s is the address of a hub, whatever its spelling', (given, origin) => {
  expect(hubOrigin(given)).toBe(origin)
})

test.each([
  ['hub.example.com', 'an http or https URL'],
  ['ftp://hub.example.com', 'an http or https URL'],
  ['https://hub.example.com/team', 'an origin'],
  ['https://hub.example.com/?', 'an origin'],
  ['https://hub.example.com/#', 'an origin'],
  ['https://ada@hub.example.com', 'an origin'],
  ['https://ada:secret@hub.example.com', 'an origin'],
  ['http://hub.example.com', 'in the clear'],
  ['http://127.0.0.1.example.com', 'in the clear'],
])('%s is none', (given, why) => {
  expect(problemOfHubUrl(given)).toContain(why)
})
