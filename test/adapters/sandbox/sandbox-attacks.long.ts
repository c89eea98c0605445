import { describe } from 'vitest'
import { inPodman } from '../../contracts/sandboxes.ts'
import { bombSuite, inAttackFolders, placesOf, processesSuite, wallsSuite } from './attacks.ts'

inAttackFolders()

const places = placesOf('podman', inPodman.create())
// The walls of a session are those of exec: both are the same container.
describe.each(places.slice(0, 1))('inside $name', wallsSuite)
describe.each(places)('processes inside $name', processesSuite)
describe.each(places)('a great many processes inside $name', bombSuite)
