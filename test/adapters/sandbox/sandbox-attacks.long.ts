import { describe } from 'vitest'
import { inPodman } from '../../contracts/sandboxes.ts'
import { bombSuite, inAttackFolders, placesOf, processesSuite, sandbox, wallsSuite } from './attacks.ts'

inAttackFolders()

const places = placesOf('podman', inPodman.create())
const inBubblewrap = placesOf('bubblewrap', sandbox)
// The walls of a session in podman are those of exec: both are the same container.
describe.each([...places.slice(0, 1), ...inBubblewrap.slice(0, 1)])('inside $name', wallsSuite)
describe.each(places)('processes inside $name', processesSuite)
// Bubblewrap puts one bound around all places.
const bounded = [...places, ...inBubblewrap.slice(0, 1)]
describe.each(bounded)('a great many processes inside $name', bombSuite)
