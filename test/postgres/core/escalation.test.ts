import './on-postgres.ts'
import '../../scenarios/crew/escalation.test.ts'
