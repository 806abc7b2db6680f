package scope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/scope"
)

func TestTheModeIsReadOffTheWording(t *testing.T) {
	for topic, want := range map[string]scope.Mode{
		"How does X work?":                                  scope.Exploratory,
		"How does the Go scheduler steal work":              scope.Exploratory,
		"What are options for job queues?":                  scope.Exploratory,
		"options for a message bus":                         scope.Exploratory,
		"How do Go or Rust report errors?":                  scope.Exploratory,
		"Impact of rain or snow on traffic in large cities": scope.Exploratory,
		"": scope.Exploratory,
		"Are we following best practices for logging?": scope.Compliance,
		"Best practices: retries":                      scope.Compliance,
		"Is our login compliant with ASVS 4?":          scope.Compliance,
		"Should we use Kafka or NATS?":                 scope.Decision,
		"Postgres or MySQL?":                           scope.Decision,
		"Postgres or MySQL":                            scope.Decision,
		"Kafka vs. NATS":                               scope.Decision,
		"Is REST better than gRPC for us?":             scope.Decision,
		"Wie funktioniert ein Wankelmotor?":            scope.Exploratory,
		"Sollen wir Kafka oder NATS nehmen?":           scope.Decision,
		"Halten wir uns an bewährte Verfahren?":        scope.Compliance,
		"Comment fonctionne le TGV ?":                  scope.Exploratory,
		"Devrions-nous utiliser Kafka ou NATS ?":       scope.Decision,
		"Suivons-nous les bonnes pratiques ?":          scope.Compliance,
		"¿Cómo funciona la fotosíntesis?":              scope.Exploratory,
		"¿Kafka o NATS?":                               scope.Decision,
		"¿Cumplimos con el RGPD?":                      scope.Compliance,
		"Как работает планировщик Go?":                 scope.Exploratory,
		"Стоит ли нам перейти на Rust?":                scope.Decision,
		"Соответствует ли наш сайт закону?":            scope.Compliance,
		"光合作用如何进行？":                                    scope.Exploratory,
		"我们应该使用 Kafka 还是 NATS？":                        scope.Decision,
		"我们的日志是否符合最佳实践？":                               scope.Compliance,
		"光合成はどのように働くか？":                                scope.Exploratory,
		"KafkaとNATS、どちらを使うべきか？":                        scope.Decision,
		"ログはベストプラクティスに準拠しているか？":                        scope.Compliance,
	} {
		require.Equal(t, want, scope.Classify(topic), topic)
	}
}

func TestALongTopicIsReadAtBothEnds(t *testing.T) {
	page := strings.Repeat("Kafka is a log, and NATS passes messages on. ", 1000)
	require.Equal(t, scope.Exploratory, scope.Classify(page))
	require.Equal(t, scope.Decision, scope.Classify("Should we use Kafka or NATS?\n"+page))
	require.Equal(t, scope.Decision, scope.Classify(page+"\nShould we use Kafka or NATS?"))
}
