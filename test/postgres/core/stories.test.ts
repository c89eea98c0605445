import './on-postgres.ts'
import '../../scenarios/crew/stories.test.ts'
