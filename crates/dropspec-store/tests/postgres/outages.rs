//! A server that is away, comes back, or loses the answer to a commit.

use dropspec_store::EngineError;
use futures::future::join_all;
use test_postgres::{CommitProxy, Shutdown, TestServer};

use crate::fixture::{config, ids, insert, open_with};

#[tokio::test]
async fn server_that_is_away_makes_calls_unavailable_until_it_is_back() {
    let mut server = need!(TestServer::start("server_that_is_away"));
    let engine = open_with(&config(&server.url("postgres"))).await;
    for (round, shutdown) in [(1, Shutdown::Fast), (2, Shutdown::Immediate)] {
        insert(&engine, round, &round.to_string()).await.unwrap();
        server.stop(shutdown);
        for error in [
            ids(&engine).await.unwrap_err(),
            insert(&engine, 10, "ten").await.unwrap_err(),
            engine.check().await.unwrap_err(),
        ] {
            assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
        }
        server.restart();
        let expected: Vec<i64> = (1..=round).collect();
        assert_eq!(ids(&engine).await.unwrap(), expected);
        engine.check().await.unwrap();
    }
}

#[tokio::test]
async fn commit_without_an_answer_has_an_unknown_outcome_and_the_engine_goes_on() {
    let server = need!(TestServer::start("commit_without_an_answer"));
    let proxy = CommitProxy::start(server.port());
    let engine = open_with(&config(&proxy.url("postgres"))).await;
    insert(&engine, 1, "one").await.unwrap();
    proxy.lose_next_commit_answer();
    let error = insert(&engine, 2, "two").await.unwrap_err();
    assert!(matches!(error, EngineError::OutcomeUnknown(_)), "{error:?}");
    insert(&engine, 3, "three").await.unwrap();
    assert_eq!(
        ids(&engine).await.unwrap(),
        [1, 2, 3],
        "it was stored in this case"
    );
    let stats = engine.transaction_stats();
    assert_eq!((stats.commits, stats.outcome_unknown), (2, 1));
}

#[tokio::test]
async fn calls_wait_for_the_connections_that_there_are_when_the_database_has_no_more() {
    let settings = ["max_connections=5", "superuser_reserved_connections=0"];
    let server = TestServer::start_with("full_database", &settings, &[]);
    let server = need!(server);
    let mut large_pool = config(&server.url("postgres"));
    large_pool.max_connections = 8;
    let engines = [open_with(&large_pool).await, open_with(&large_pool).await];
    let calls = engines
        .iter()
        .flat_map(|engine| (0..100).map(move |_| ids(engine)));
    for result in join_all(calls).await {
        assert_eq!(result.unwrap(), crate::fixture::NONE);
    }
    let [first, second] = engines.each_ref().map(|it| it.pool_stats());
    assert!(first.connections + second.connections <= 5);
    assert!(first.refused + second.refused > 0);
    assert_eq!((first.waiting, second.waiting), (0, 0));
    assert!(engines[0].watch_outage().borrow().is_none());
    // The connections of one are free for the other.
    engines[1].close();
    while engines[0].pool_stats().connections < 5 {
        for result in join_all((0..20).map(|_| ids(&engines[0]))).await {
            result.unwrap();
        }
    }
    let error = ids(&engines[1]).await.unwrap_err();
    assert!(matches!(error, EngineError::Unavailable(_)), "{error:?}");
}

#[tokio::test]
async fn connections_that_the_server_ends_are_replaced() {
    let server = need!(TestServer::start("connections_that_end"));
    let engine = open_with(&config(&server.url("postgres"))).await;
    insert(&engine, 1, "one").await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
    test_postgres::execute(&server.url("postgres"), end).unwrap();
    // Whether or not the engine has noticed it.
    insert(&engine, 2, "two").await.unwrap();
    assert_eq!(ids(&engine).await.unwrap(), [1, 2]);
}
